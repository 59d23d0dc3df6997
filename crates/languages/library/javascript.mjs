// The names of JavaScript's library:
//
//     node javascript.mjs > ../src/data/javascript/library.txt                    those that an object of unknown type may have
//     node javascript.mjs standard FOLDER > ../src/data/javascript/standard.txt   all of the language's, of Node.js's modules and of browsers
//     node javascript.mjs modules > ../src/data/javascript/modules.txt            the modules of Node.js
//
// The first are globals of the language and of Node.js, and what their prototypes have: what a global itself has stands behind its
// name. FOLDER is that of the package `typescript` (5.9), which declares what browsers have. Made with Node.js 20.
import { readFileSync, readdirSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
const names = new Set(["constructor", "require", "module", "exports", "__dirname", "__filename", "arguments", "undefined"]);
const LANGUAGE = [
  "Object", "Function", "Array", "String", "Number", "Boolean", "BigInt", "Date", "RegExp", "Error", "Promise", "Map",
  "Set", "WeakMap", "WeakSet", "ArrayBuffer", "DataView", "Uint8Array",
];
for (const name of Object.getOwnPropertyNames(globalThis)) names.add(name);
for (const name of LANGUAGE) {
  for (let one = globalThis[name]?.prototype; one; one = Object.getPrototypeOf(one)) {
    for (const member of Object.getOwnPropertyNames(one)) names.add(member);
  }
}
for (const one of [Object.getPrototypeOf(function* () {}.prototype), [][Symbol.iterator]()]) {
  for (const member of Object.getOwnPropertyNames(one)) names.add(member);
}
const modules = builtinModules.filter((name) => !name.startsWith("_")).map((name) => name.split("/")[0]);
if (process.argv[2] === "standard") {
  // All that can be reached, three steps deep: a module, a class, what its objects have.
  const seen = new Set();
  const take = (one, depth) => {
    if (depth < 0 || one === null || !["object", "function"].includes(typeof one) || seen.has(one)) return;
    seen.add(one);
    for (const [member, { value }] of Object.entries(Object.getOwnPropertyDescriptors(one))) {
      names.add(member);
      if (one !== process.env) take(value, depth - 1);
    }
    take(Object.getPrototypeOf(one), depth);
  };
  for (const name of Object.getOwnPropertyNames(globalThis)) take(globalThis[name], 3);
  const require = createRequire(import.meta.url);
  for (const name of modules) {
    names.add(name);
    if (!["process", "repl", "trace_events"].includes(name)) take(require(name), 4);
  }
  // Words that mean something to the language, or to TypeScript, in some places only.
  const words = "abstract accessor any as asserts async await bigint boolean constructor declare from get global infer intrinsic is keyof let meta";
  const more = "module namespace never number object of out override readonly satisfies set static string symbol target type unique unknown";
  for (const word of `${words} ${more}`.split(" ")) names.add(word);
  const folder = process.argv[3] + "/lib/";
  for (const file of readdirSync(folder).filter((name) => /^lib\.[\w.]+\.d\.ts$/.test(name))) {
    const text = readFileSync(folder + file, "utf8").replace(/\/\*[^]*?\*\//g, "").replace(/\/\/.*/g, "");
    for (const [, name] of text.matchAll(/^\s*(?:declare |readonly |static |get |set )*(?:type |interface |class |namespace |var |const |function )?([A-Za-z$][\w$]*)\s*[?:(<=;{]/gm)) names.add(name);
    for (const [, name] of text.matchAll(/[(,{]\s*([A-Za-z$][\w$]*)\??:/g)) names.add(name);
  }
} else if (process.argv[2] === "modules") {
  names.clear();
  for (const name of [...modules, "node:"]) names.add(name);
}
const words = [...names].filter((name) => /^[A-Za-z$][\w$:]*$/.test(name));
console.log(words.sort().join("\n"));
