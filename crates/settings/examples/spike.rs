use std::collections::BTreeMap;
use barecode_check::*; use barecode_corpus::*;
fn main() {
    let from = std::env::args().nth(1).unwrap();
    let limit: u32 = std::env::args().nth(2).unwrap_or("200".into()).parse().unwrap();
    let include: Vec<String> = std::env::args().skip(3).collect();
    let compiler = Compiler::probe(&CheckConfig::default()).unwrap();
    let t = std::time::Instant::now();
    let headers = StandardHeaders::new(&compiler.predefined_macros().unwrap(), StandardHeaders::names().into_iter().map(|h| (h.to_string(), compiler.header_macros(h).unwrap())));
    eprintln!("headers {:?}", t.elapsed());
    let config = SourceConfig { from, include, exclude: vec![], defines: vec![], limit: Some(limit), license: None };
    let t = std::time::Instant::now();
    let source = Source::resolve(&config, std::path::Path::new(".")).unwrap();
    eprintln!("resolve {:?}", t.elapsed());
    let t = std::time::Instant::now();
    let e = extract(&source, &ExtractConfig::default(), &headers, 1);
    eprintln!("extract {:?}\nfiles {:?}\nfunctions {:?}", t.elapsed(), e.files, e.counts);
    let mut sizes: Vec<usize> = e.functions.iter().map(|f| f.closure.text.len()).collect(); sizes.sort();
    eprintln!("closure bytes median {} p90 {} ; docs {}", sizes[sizes.len()/2], sizes[sizes.len()*9/10], e.functions.iter().filter(|f| f.doc.is_some()).count());
    let mut bodies = BTreeMap::new(); for f in &e.functions { *bodies.entry(format!("{:?}", f.closure.helper_bodies)).or_insert(0) += 1; }
    eprintln!("{bodies:?}");
    let judge = Judge::new(compiler, None).unwrap();
    let t = std::time::Instant::now();
    let chunks: Vec<_> = e.functions.chunks(16).collect();
    use rayon::prelude::*;
    let checked: Vec<Checked> = chunks.par_iter().map(|c| check(c, &judge).unwrap()).collect();
    let mut groups = BTreeMap::new();
    let mut n = 0;
    std::fs::remove_dir_all("/tmp/spike").ok(); std::fs::create_dir_all("/tmp/spike").unwrap();
    for c in &checked { n += c.units.len(); for u in &c.units { *groups.entry(u.group.name()).or_insert(0) += 1; }
      for s in &c.set_aside { println!("{} {} {}: {}", s.reason, s.name.as_deref().unwrap_or(""), s.origin.as_ref().unwrap().place(), s.detail.chars().take(140).collect::<String>().replace('\n', " "));
        if let Some(f) = e.functions.iter().find(|f| Some(&f.id)==s.id.as_ref() || Some(&f.name)==s.name.as_ref()) { std::fs::write(format!("/tmp/spike/{}.c", f.name), &f.closure.text).unwrap(); } } }
    eprintln!("units {n} of {} in {:?}; {groups:?}", e.functions.len(), t.elapsed());
    if let Some(u) = checked.iter().flat_map(|c| &c.units).nth(3) { std::fs::write("/tmp/spike_unit.c", &u.closure.text).unwrap(); }

    use barecode_records::*;
    let t = std::time::Instant::now();
    let settings = [(Setting::Standard, None), (Setting::Neutralized, None), (Setting::Randomized, Some(0))];
    let units: Vec<&Unit> = checked.iter().flat_map(|c| &c.units).collect();
    let varied: Vec<_> = units.par_iter().map(|u| barecode_settings::vary(std::slice::from_ref(*u), &settings, 1, &judge).unwrap()).collect();
    let mut counts = Counts::default(); let mut proofs = BTreeMap::new(); let mut kept = BTreeMap::new();
    for v in &varied { counts.add(&v.counts);
        for s in &v.set_aside { println!("VARY {} {} {}", s.reason, s.name.as_deref().unwrap(), s.detail.chars().take(200).collect::<String>().replace('\n', " ")); }
        for x in &v.variants { *proofs.entry(format!("{} {:?}", x.setting, x.proof)).or_insert(0) += 1; for k in &x.kept { *kept.entry((k.reason.clone(), k.name.clone())).or_insert(0) += 1; } } }
    eprintln!("vary {:?} {counts:?} {proofs:?}", t.elapsed());
    for ((r,k), n) in kept.iter().take(60) { println!("KEPT {r}: {k} {n}"); }
    std::fs::remove_dir_all("/tmp/spikev").ok(); std::fs::create_dir_all("/tmp/spikev").unwrap();
    for v in varied.iter().flat_map(|v| &v.variants) { std::fs::write(format!("/tmp/spikev/{}-{}.c", v.unit_id, v.setting.label(v.seed)), if std::env::var("FULL").is_ok() { &v.compiled_text } else {&v.text}).unwrap(); }
}
