import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastGlob from 'fast-glob';
import ts from 'typescript';

const SRC = join(__dirname, '..', '..', '..', 'src');
/**
 * What a file that does not write may import from `node:fs` and `node:fs/promises`. Creating a folder changes no file.
 */
const READING = new Set([
  'open',
  'openSync',
  'closeSync',
  'fstatSync',
  'readSync',
  'readFile',
  'readdir',
  'realpath',
  'stat',
  'statSync',
  'readdirSync',
  'readFileSync',
  'lstat',
  'existsSync',
  'lstatSync',
  'readlinkSync',
  'realpathSync',
  'access',
  'accessSync',
  'statfsSync',
  'opendir',
  'mkdir',
  'constants',
  'watch',
]);
/** Second arguments of `open` and `openSync` that open a file for reading only. */
const READ_FLAGS = new Set(["'r'", 'constants.O_RDONLY', 'constants.O_RDONLY | NON_BLOCKING']);
/** Writes a file of its own, beside the program that it is a part of, and nothing else (`test/cli/hookProgram.test.ts`). */
const OWN_FILE = 'cli/hookStart.ts';
const FS_MODULES = new Set(['fs', 'node:fs', 'fs/promises', 'node:fs/promises']);
const VSCODE_WRITES = /\bworkspace\s*\.\s*(?:fs\s*\.\s*(?:writeFile|delete|rename|copy|createDirectory)|applyEdit)\b/;

/** The reasons why a source could write a file, one sentence each. */
function writesOf(source: string): string[] {
  const file = ts.createSourceFile('x.ts', source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isImportDeclaration(node) &&
      ts.isStringLiteral(node.moduleSpecifier) &&
      FS_MODULES.has(node.moduleSpecifier.text)
    ) {
      const { importClause } = node;
      const bindings = importClause?.namedBindings;
      if (importClause?.name !== undefined || (bindings !== undefined && !ts.isNamedImports(bindings))) {
        found.push('imports all of fs');
      } else if (bindings !== undefined && importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword) {
        for (const { name, propertyName, isTypeOnly } of bindings.elements) {
          const imported = (propertyName ?? name).text;
          if (!isTypeOnly && !READING.has(imported)) found.push(`imports ${imported}`);
        }
      }
    }
    if (ts.isCallExpression(node)) {
      const callee = node.expression.getText(file);
      const [first, second] = node.arguments;
      const isRequire = callee === 'require' || node.expression.kind === ts.SyntaxKind.ImportKeyword;
      if (isRequire && first !== undefined && ts.isStringLiteral(first) && FS_MODULES.has(first.text)) {
        found.push(`loads ${first.text}`);
      }
      const isRead = second === undefined || READ_FLAGS.has(second.getText(file));
      if (/^open(Sync)?$/.test(callee) && !isRead)
        found.push(`opens a file for more than reading: ${node.getText(file)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  if (VSCODE_WRITES.test(source)) found.push('writes through VS Code');
  return found;
}

describe('The person’s files', () => {
  it('are written only in core/storage', () => {
    const files = fastGlob.sync('**/*.ts', { cwd: SRC, ignore: ['core/storage/**', OWN_FILE] });
    assert.ok(files.length > 100);
    const writing = files.flatMap((file) =>
      writesOf(readFileSync(join(SRC, file), 'utf8')).map((why) => `${file} ${why}`),
    );
    assert.deepEqual(writing, []);
  });

  it('are written in core/storage, as this test can see', () => {
    const files = fastGlob.sync('core/storage/**/*.ts', { cwd: SRC, absolute: true });
    assert.ok(files.some((file) => writesOf(readFileSync(file, 'utf8')).length > 0));
  });

  for (const source of [
    "import { writeFile } from 'node:fs/promises';",
    "import { readFile, rm as gone } from 'fs/promises';",
    "import * as fs from 'node:fs';",
    "import fs from 'fs';",
    "import { promises } from 'node:fs';",
    "const fs = await import('node:fs');",
    "const fs = require('fs');",
    "import { open } from 'node:fs/promises'; await open(path, 'r+');",
    'import { open } from "node:fs/promises"; await open(path, flags);',
    'await vscode.workspace.fs.writeFile(uri, bytes);',
  ]) {
    it(`would be reported as written by: ${source}`, () => {
      assert.equal(writesOf(source).length, 1);
    });
  }
});
