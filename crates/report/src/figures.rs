//! The figures and tables of a run as files for papers: each figure as SVG, CSV and LaTeX, each table as CSV, Markdown
//! and LaTeX.
//!
//! ```text
//! figures/scores-GROUP.svg, .csv, .tex    the main measure by setting; the LaTeX is for pgfplots
//! tables/scores-GROUP.csv, .md, .tex      the same as a table; the LaTeX is for booktabs
//! tables/measures.csv                     all measures of all groups, a row for each number
//! ```
//!
//! SVG and LaTeX begin with the command that makes them again.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use barecode_records::Score;
use maud::{PreEscaped, Render, html};

use super::facts::Facts;
use super::scored::Of;
use super::{
    figure, group_name, main_measure, number, retrievers, setting_of, too_few, with_draws,
};

/// The folder of figures and that of tables.
const FIGURES: &str = "figures";
const TABLES: &str = "tables";
/// The page's light colors; a file has no style sheet around it.
const STYLE: &str = "
text { font: 13px sans-serif; fill: #333; } .tick { fill: #666; }
.grid { stroke: #ddd; } .link { fill: none; stroke: currentColor; stroke-width: 1.5; opacity: .45; }
.interval { stroke: currentColor; stroke-width: 2; } .series > circle, .series > path, .series > rect { fill: currentColor; }
.bound { stroke: #222; stroke-width: 1.5; } .bound.ceiling { stroke-dasharray: 5 3; } .bound.floor { stroke-dasharray: 1.5 3; }
.series-0 { color: #1f6fca; } .series-1 { color: #c9650b; } .series-2 { color: #1f8a58; }
.series-3 { color: #8d4bc4; } .series-4 { color: #c23b3b; } .series-5 { color: #14838e; }";

/// The files of a run, by their paths in the folder of its pages; none if nothing was scored.
pub fn files(facts: &Facts<'_>) -> Vec<(PathBuf, String)> {
    let Some(measure) = main_measure(facts.scores) else {
        return Vec::new();
    };
    let names = retrievers(facts.scores);
    let command = command(facts);
    let mut files = vec![(Path::new(TABLES).join("measures.csv"), csv(facts.scores))];
    for of in Of::groups(facts.scores, measure) {
        let table = Pivot::of(&of, &names, measure);
        let name = stem(of.group);
        let own: Vec<Score> = of.scores.iter().map(|&score| score.clone()).collect();
        let figure = |ending: &str| Path::new(FIGURES).join(format!("{name}.{ending}"));
        let tables = |ending: &str| Path::new(TABLES).join(format!("{name}.{ending}"));
        files.extend([
            (figure("svg"), svg(&of, &names, measure, &command)),
            (figure("csv"), csv(&own)),
            (figure("tex"), pgfplots(&of, &names, measure, &command)),
            (tables("csv"), table.csv()),
            (tables("md"), table.markdown()),
            (tables("tex"), table.booktabs(&command)),
        ]);
    }
    files
}

/// Links to the files of a group, for the page.
pub(super) fn links(group: &str) -> impl Render {
    let name = stem(group);
    let link = |folder: &str, ending: &str| format!("{folder}/{name}.{ending}");
    html! {
        p.note {
            "Figure as " a href=(link(FIGURES, "svg")) { "SVG" } ", " a href=(link(FIGURES, "csv")) { "CSV" } ", " a href=(link(FIGURES, "tex")) { "LaTeX" }
            "; table as " a href=(link(TABLES, "csv")) { "CSV" } ", " a href=(link(TABLES, "md")) { "Markdown" } ", " a href=(link(TABLES, "tex")) { "LaTeX" }
            "; " a href={ (TABLES) "/measures.csv" } { "all numbers as CSV" } "."
        }
    }
}

/// `scores-group1`; groups of written queries have their writer in the name. Bytes that may not be in a file name are
/// written in hexadecimal, `~2f`, so that no two groups share a file.
fn stem(group: &str) -> String {
    let mut name = "scores-".to_owned();
    for byte in group.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            name.push(char::from(byte));
        } else {
            let _ = write!(name, "~{byte:02x}");
        }
    }
    if group.is_empty() {
        name.push_str("all");
    }
    name
}

/// The command that makes the files again.
fn command(facts: &Facts<'_>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "barecode {version}: barecode build {}.toml",
        facts.recipe.name
    )
}

/// The picture of the page as a file, with a legend.
fn svg(of: &Of<'_>, names: &[&str], measure: &str, command: &str) -> String {
    let chart = figure::chart(of.group, measure, &of.scores, names).into_string();
    let lines = names.len().div_ceil(3);
    let height = figure::HEIGHT + 22.0 * lines as f64;
    let entry = |at: usize| {
        let (x, y) = (
            (at % 3) as f64 * 150.0 + 40.0,
            figure::HEIGHT + (at / 3) as f64 * 22.0,
        );
        html! {
            g transform={ "translate(" (x) " " (y) ")" } { (figure::mark(at)) text x="22" y="13" { (names[at]) } }
        }
    };
    let legend = html! { @for at in 0..names.len() { (entry(at)) } }.into_string();
    // A mark is 16 units wide in a picture of its own.
    let legend = legend.replace(
        "class=\"mark\"",
        "class=\"mark\" width=\"16\" height=\"16\"",
    );
    let inside = chart.split_once('>').map_or("", |(_, inside)| inside);
    let inside = inside.strip_suffix("</svg>").unwrap_or(inside);
    let (width, comment) = (figure::WIDTH, command.replace("--", "- -"));
    let text = html! {
        (PreEscaped(format!("<!-- {comment} -->\n")))
        svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox={ "0 0 " (width) " " (height) } width={ (width * 1.5) } height={ (height * 1.5) } {
            style { (PreEscaped(STYLE)) }
            (PreEscaped(inside))
            (PreEscaped(legend))
        }
    };
    text.into_string() + "\n"
}

/// A row for each number.
fn csv(scores: &[Score]) -> String {
    let mut table = csv::Writer::from_writer(Vec::new());
    let heads = [
        "group",
        "slice",
        "setting",
        "draws",
        "retriever",
        "measure",
        "queries",
        "value",
        "low",
        "high",
        "ceiling",
        "floor",
    ];
    let mut rows = vec![heads.map(str::to_owned)];
    rows.extend(scores.iter().map(|score| {
        // A number over too few queries is not shown anywhere.
        let shown = |value: f64| {
            if score.too_few {
                String::new()
            } else {
                value.to_string()
            }
        };
        let bound = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        [
            score.group.clone().unwrap_or_default(),
            score.slice.clone(),
            setting_of(score.setting),
            score.draws.to_string(),
            score.retriever.clone(),
            score.measure.clone(),
            score.queries.to_string(),
            shown(score.value),
            shown(score.low),
            shown(score.high),
            bound(score.ceiling),
            bound(score.floor),
        ]
    }));
    for row in rows {
        table.write_record(&row).expect("a buffer takes every row");
    }
    let bytes = table.into_inner().expect("a buffer is flushed");
    String::from_utf8(bytes).expect("texts are UTF-8")
}

/// The figure for pgfplots.
fn pgfplots(of: &Of<'_>, names: &[&str], measure: &str, command: &str) -> String {
    let settings: Vec<String> = of.settings().iter().map(ToString::to_string).collect();
    let mut text = format!(
        "% {command}\n% \\usepackage{{pgfplots}} \\pgfplotsset{{compat=1.18}}\n\\begin{{tikzpicture}}\n\\begin{{axis}}[\n  \
         symbolic x coords={{{}}}, xtick=data, ymin=0, ymax=1, ylabel={{{}}},\n  enlarge x limits=0.15, ymajorgrids, \
         legend pos=outer north east, legend cell align=left]\n",
        settings.join(","),
        latex(measure)
    );
    for name in names {
        let scores = of
            .settings()
            .into_iter()
            .filter_map(|setting| of.get(name, setting));
        let points: Vec<String> = scores
            .filter(|score| !score.too_few)
            .map(|score| {
                format!(
                    "    ({},{:.4}) += (0,{:.4}) -= (0,{:.4})",
                    setting_of(score.setting),
                    score.value,
                    score.high - score.value,
                    score.value - score.low
                )
            })
            .collect();
        if points.is_empty() {
            continue;
        }
        let _ = write!(
            text,
            "\\addplot+[error bars/.cd, y dir=both, y explicit] coordinates {{\n{}\n}};\n\\addlegendentry{{{}}}\n",
            points.join("\n"),
            latex(name)
        );
    }
    text + "\\end{axis}\n\\end{tikzpicture}\n"
}

/// The main measure: a row for each retriever, a column for each setting; the ceiling and the floor below.
struct Pivot {
    title: String,
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Pivot {
    fn of(of: &Of<'_>, names: &[&str], measure: &str) -> Self {
        let settings = of.settings();
        let first = |setting| names.iter().find_map(|name| of.get(name, setting));
        let heads = settings.iter().map(|&setting| {
            with_draws(Some(setting), first(setting).map_or(1, |score| score.draws))
        });
        let cell = |score: Option<&Score>| match score {
            None => "–".to_owned(),
            Some(score) if score.too_few => too_few(score.queries.into()),
            Some(score) => {
                format!(
                    "{} [{}, {}]",
                    number(score.value),
                    number(score.low),
                    number(score.high)
                )
            }
        };
        let mut rows: Vec<Vec<String>> = names
            .iter()
            .map(|name| {
                let cells = settings.iter().map(|&setting| cell(of.get(name, setting)));
                [(*name).to_owned()].into_iter().chain(cells).collect()
            })
            .collect();
        for (name, bound) in [
            (
                "ceiling",
                (|score| score.ceiling) as fn(&Score) -> Option<f64>,
            ),
            ("floor", |score| score.floor),
        ] {
            let cells = settings
                .iter()
                .map(|&setting| super::bound(first(setting).and_then(bound)));
            rows.push([name.to_owned()].into_iter().chain(cells).collect());
        }
        let queries = of.scores.first().map_or(0, |score| score.queries);
        Pivot {
            title: format!(
                "{measure}, {}, {queries} queries",
                group_name(Some(of.group))
            ),
            heads: ["retriever".to_owned()].into_iter().chain(heads).collect(),
            rows,
        }
    }

    fn csv(&self) -> String {
        let mut table = csv::Writer::from_writer(Vec::new());
        for row in [&self.heads].into_iter().chain(&self.rows) {
            table.write_record(row).expect("a buffer takes every row");
        }
        let bytes = table.into_inner().expect("a buffer is flushed");
        String::from_utf8(bytes).expect("texts are UTF-8")
    }

    fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule: Vec<String> = (0..self.heads.len())
            .map(|at| if at == 0 { "---" } else { "---:" }.to_owned())
            .collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!(
            "{}\n\n{}{}{rows}",
            self.title,
            line(&self.heads),
            line(&rule)
        )
    }

    fn booktabs(&self, command: &str) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| latex(cell)).collect();
            format!("{} \\\\\n", cells.join(" & "))
        };
        let (bounds, names) = (self.rows.len() - 2, &self.rows);
        let rows = |rows: &[Vec<String>]| rows.iter().map(|row| line(row)).collect::<String>();
        format!(
            "% {command}\n% {}\n% \\usepackage{{booktabs}}\n\\begin{{tabular}}{{l{}}}\n\\toprule\n{}\\midrule\n{}\\midrule\n{}\\bottomrule\n\\end{{tabular}}\n",
            self.title,
            "r".repeat(self.heads.len() - 1),
            line(&self.heads),
            rows(&names[..bounds]),
            rows(&names[bounds..])
        )
    }
}

/// A text in LaTeX.
fn latex(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '×' => escaped.push_str("$\\times$"),
            '–' => escaped.push_str("--"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_others_are_text_in_latex() {
        assert_eq!(
            latex("a_b & 5 % \\x {y} ×2"),
            "a\\_b \\& 5 \\% \\textbackslash{}x \\{y\\} $\\times$2"
        );
        assert_eq!(stem("all-../x"), "scores-all-..~2fx");
    }
}
