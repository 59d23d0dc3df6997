fn main() {
    use std::io::Read;
    let mut s = String::new();
    std::io::stdin().read_to_string(&mut s).unwrap();
    let rows: Vec<(String, u8, String)> = serde_json::from_str(&s).unwrap();
    let out: Vec<(String, String, String)> = rows
        .into_iter()
        .map(|(id, g, t)| {
            let g = match g {
                1 => barecode_settings::clarc::Group::One,
                2 => barecode_settings::clarc::Group::Two,
                _ => barecode_settings::clarc::Group::Three,
            };
            (
                id,
                barecode_settings::clarc::neutralized(&t, g),
                barecode_settings::clarc::randomized(&t, g),
            )
        })
        .collect();
    println!("{}", serde_json::to_string(&out).unwrap());
}
