// The names of JavaScript's library that an object of unknown type may have: node javascript.mjs > ../src/data/javascript/library.txt
//
// Globals of the language and of Node.js, and what their prototypes have: what a global itself has stands behind its name. Made
// with Node.js 20.
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
const words = [...names].filter((name) => /^[A-Za-z$][\w$]*$/.test(name));
console.log(words.sort().join("\n"));
