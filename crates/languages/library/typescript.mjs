// The names of TypeScript's library: node typescript.mjs FOLDER > ../src/data/typescript/library.txt
// The other lists are JavaScript's.
//
// Those of JavaScript, and the types of `lib.es*.d.ts` in the folder of the package `typescript` (5.9).
import { readFileSync, readdirSync } from "node:fs";
const folder = process.argv[2] + "/lib/";
const names = new Set(readFileSync(new URL("../src/data/javascript/library.txt", import.meta.url), "utf8").trim().split("\n"));
for (const file of readdirSync(folder).filter((name) => /^lib\.(es\d+|decorators)[\w.]*\.d\.ts$/.test(name))) {
  const text = readFileSync(folder + file, "utf8").replace(/\/\*[^]*?\*\//g, "");
  for (const [, name] of text.matchAll(/^(?:declare )?(?:type|interface|class|namespace|var|function) (\w+)/gm)) names.add(name);
}
console.log([...names].sort().join("\n"));
