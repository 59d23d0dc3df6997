//! Prints what a listing is rendered to.
fn main() {
    let path = std::env::args().nth(1).unwrap_or_default();
    let kind = std::env::args().nth(2).unwrap_or_default();
    let id = std::env::args().nth(3);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let start = std::time::Instant::now();
    let mut n = 0;
    for row in &rows {
        if let Some(id) = &id && !row["query_id"].as_str().unwrap().ends_with(&format!("_{id}")) { continue; }
        let text = row["code_text"].as_str().unwrap();
        n += 1;
        let rendering = if kind == "wasm" { barecode_structural::render_wasm(text) } else { barecode_structural::render_assembly(text) };
        if id.is_some() {
            println!("{}\n{text}\n{rendering:?}", row["query_text"]);
        }
    }
    eprintln!("{n} in {:?}", start.elapsed());
}
