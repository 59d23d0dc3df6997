// What go/types finds wrong in texts. In: a line a text, its id, a tab, the text in base 64. Out: a line an error, the id, the line
// of the text, the message in base 64.
//
// A text is one file of a package of its own, and what it takes from the standard library is imported. Other packages cannot be had,
// and what is taken from them has no type.
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

func main() {
	positions := token.NewFileSet()
	from := importer.ForCompiler(positions, "source", nil)
	packages := map[string]string{}
	known, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		panic(err)
	}
	for _, path := range strings.Fields(string(known)) {
		name := path[strings.LastIndex(path, "/")+1:]
		if _, taken := packages[name]; !taken && !strings.Contains(path, "internal") && !strings.HasPrefix(path, "vendor") {
			packages[name] = path
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		id, coded, _ := strings.Cut(lines.Text(), "\t")
		text, err := base64.StdEncoding.DecodeString(coded)
		if err != nil {
			panic(err)
		}
		say := func(line int, message string) {
			fmt.Printf("%s\t%d\t%s\n", id, line, base64.StdEncoding.EncodeToString([]byte(message)))
		}
		file, err := parser.ParseFile(positions, id, "package unit;"+string(text), 0)
		if err != nil {
			say(0, err.Error())
			continue
		}
		head := "package unit;"
		for _, name := range file.Unresolved {
			if path, ok := packages[name.Name]; ok && !strings.Contains(head, strconv.Quote(path)) {
				head += "import " + strconv.Quote(path) + ";"
			}
		}
		if file, err = parser.ParseFile(positions, id, head+string(text), 0); err != nil {
			panic(err)
		}
		config := types.Config{Importer: from, Error: func(err error) {
			if it, ok := err.(types.Error); ok {
				say(positions.Position(it.Pos).Line, it.Msg)
			}
		}}
		config.Check(file.Name.Name, positions, []*ast.File{file}, nil)
	}
}
