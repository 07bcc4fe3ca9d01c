import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const root = join(import.meta.dirname, "../..");
const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (path) => readFileSync(path, "utf8"));
const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const changed = { file: "", text: "", version: 0 };

const service = ts.createLanguageService({
  getCompilationSettings: () => ({ ...options, incremental: false, tsBuildInfoFile: undefined }),
  getCurrentDirectory: () => root,
  getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
  getScriptFileNames: () => fileNames,
  getScriptVersion: (file) => (file === changed.file ? String(changed.version) : "0"),
  getScriptSnapshot(file) {
    const text = file === changed.file ? changed.text : ts.sys.readFile(file);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  fileExists: (path) => ts.sys.fileExists(path),
  readFile: (path) => ts.sys.readFile(path),
  readDirectory: (...asked) => ts.sys.readDirectory(...asked),
  directoryExists: (path) => ts.sys.directoryExists(path),
});

/** Whether a file still fits its own types with another text; one that does not is seen before any test runs. */
export function compiles(file: string, text: string): boolean {
  Object.assign(changed, { file, text, version: changed.version + 1 });
  return (
    service.getSyntacticDiagnostics(file).length === 0 && service.getSemanticDiagnostics(file).length === 0
  );
}
