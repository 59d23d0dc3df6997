"""Where axe-core is, as JSON on stdout; null if the package that brings it is missing."""

import importlib.util
import json
import pathlib

package = importlib.util.find_spec("axe_playwright_python")
print(json.dumps(package and str(pathlib.Path(package.origin).parent / "axe.min.js")))
