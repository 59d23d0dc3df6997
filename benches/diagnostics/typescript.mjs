// What tsc finds wrong in texts, with the package `typescript` in the folder that is given. In: a line a text, its id, a tab, the
// text in base 64. Out: a line an error, the id, the line of the text, the message in base 64.
//
// A text is one module. Modules that it imports are missing.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const ts = createRequire(import.meta.url)(process.argv[2]);
const options = { noEmit: true, strict: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, jsx: ts.JsxEmit.Preserve, types: [] };
const host = ts.createCompilerHost(options);
const libraries = new Map();
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const [id, coded] = line.split("\t");
  const text = Buffer.from(coded, "base64").toString("utf8");
  const name = "/unit.ts";
  const own = ts.createSourceFile(name, text, options.target, true);
  const getSourceFile = (path, target) => {
    if (path === name) return own;
    if (!libraries.has(path)) libraries.set(path, host.getSourceFile(path, target));
    return libraries.get(path);
  };
  const fileExists = (path) => path === name;
  const program = ts.createProgram([name], options, { ...host, getSourceFile, fileExists });
  for (const one of ts.getPreEmitDiagnostics(program, own)) {
    const { line } = own.getLineAndCharacterOfPosition(one.start ?? 0);
    const message = ts.flattenDiagnosticMessageText(one.messageText, "\n");
    console.log(`${id}\t${line + 1}\t${Buffer.from(message).toString("base64")}`);
  }
}
