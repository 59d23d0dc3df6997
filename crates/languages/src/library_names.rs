//! stub
use barecode_records::Language;
pub struct Library { language: Language }
static PY: Library = Library { language: Language::PYTHON };
pub fn library(language: Language) -> Option<&'static Library> { (language == Language::PYTHON).then_some(&PY) }
impl Library { pub fn has(&self, name: &str) -> bool { crate::of(self.language).is_some_and(|e| e.is_builtin(name)) || ["get","items","read","keys","values","append","json","name","join","split","strip","format","update","pop","copy","encode","decode","write","close","add","remove","index","count","sort","replace","find","start","end","group","match","search","sub"].contains(&name) } }
