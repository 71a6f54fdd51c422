import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scannerModulePath } from '../../../scripts/scannerModule.mjs';
import {
  loadScanner,
  ParentForm,
  ReferenceScanner,
  RowFlag,
  RowKind,
  ScannerInstance,
  WasmScanner,
} from '../../rooms/transcript';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { withTemporaryFolder } from '../../support/temporaryFolder';

/** Names in assembly/bits.ts and the values that they must have. */
const BITS: Readonly<Record<string, number>> = {
  KIND_USER: RowKind.user,
  KIND_ASSISTANT: RowKind.assistant,
  KIND_ATTACHMENT: RowKind.attachment,
  KIND_SYSTEM: RowKind.system,
  KIND_PROGRESS: RowKind.progress,
  KIND_OTHER: RowKind.other,
  KIND_MASK: 0b111,
  PARENT_NULL: ParentForm.null,
  PARENT_TEXT: ParentForm.text,
  PARENT_MASK: ParentForm.other,
  SIDECHAIN: RowFlag.sidechain,
  COMPACT_BOUNDARY: RowFlag.compactBoundary,
  API_ERROR: RowFlag.apiError,
  USABLE: RowFlag.usable,
  COUNTED: RowFlag.counted,
  HAS_TEXT: RowFlag.hasText,
  HAS_TOOL_USE: RowFlag.hasToolUse,
  HAS_TOOL_RESULT: RowFlag.hasToolResult,
  NUL_PREFIXED: RowFlag.nulPrefixed,
  HIDDEN: RowFlag.hidden,
  FORKED: RowFlag.forked,
  NO_RESPONSE: RowFlag.noResponse,
  TOOL_SOURCE: RowFlag.toolSource,
  LOOSE_TIME: RowFlag.looseTime,
  VIRTUAL: RowFlag.virtual,
  HAS_SERVER_CALL: RowFlag.hasServerCall,
  META: RowFlag.meta,
  FILE_SNAPSHOT: RowFlag.fileSnapshot,
  NUMERIC_TIME: RowFlag.numericTime,
  KIND_SPECIFIC: RowFlag.kindSpecific,
  ODD_MESSAGE: RowFlag.oddMessage,
  ODD_CONTENT: RowFlag.oddContent,
  REDACTED: RowFlag.redacted,
};

const module = new WebAssembly.Module(readFileSync(scannerModulePath()));

describe('The WebAssembly module of the fast scanner', () => {
  it('uses the same bits for the flags of a row as the rest of the engine', () => {
    const exported = WebAssembly.Module.exports(module).map(({ name }) => name);
    const bits = exported.filter((name) => /^[A-Z][A-Z_]+$/.test(name));
    assert.deepEqual(bits.sort(), Object.keys(BITS).sort());
    const { exports } = new WebAssembly.Instance(module);
    for (const name of bits) assert.equal((exports[name] as WebAssembly.Global).value, BITS[name], name);
  });

  it('has no imports', () => {
    assert.deepEqual(WebAssembly.Module.imports(module), []);
  });

  it('reads all but a few rows of the recordings itself, and leaves those to JSON.parse', () => {
    let lines = 0;
    let odd = 0;
    for (const recording of listRecordings()) {
      const scanned = countOddLines(readFileSync(join(FIXTURES, recording)));
      lines += scanned.lines;
      odd += scanned.odd;
    }
    assert.ok(lines > 300, `${lines} lines`);
    // Titles, last-prompt rows, compactions and the first prompt of each.
    assert.ok(odd / lines < 0.2, `${odd} of ${lines}`);
  });
});

/** The number of lines of a transcript, and of those at which the module stops. */
function countOddLines(bytes: Buffer): { readonly lines: number; readonly odd: number } {
  const instance = new ScannerInstance(module);
  const { exports } = instance;
  const start = exports.allocate(bytes.length + 128) >>> 0;
  instance.bytes.set(bytes, start);
  exports.start(0, 1, 0);
  exports.stopWantingPrompt();
  let odd = 0;
  for (let at = 0; at < bytes.length;) {
    at += exports.scan(start + at, bytes.length - at, at);
    if (at >= bytes.length) break;
    exports.takeLine();
    odd++;
    at = bytes.indexOf(10, at) + 1;
  }
  return { lines: Number(exports.lines.value), odd };
}

describe('loadScanner', () => {
  it('returns the fast scanner, without logging', () => {
    const warnings: string[] = [];
    const createScanner = loadScanner(scannerModulePath(), (warning) => warnings.push(warning));
    assert.ok(createScanner() instanceof WasmScanner);
    assert.deepEqual(warnings, []);
  });

  it('returns the plain scanner where the module cannot be loaded, and logs the reason once', () => {
    const warnings: string[] = [];
    const createScanner = loadScanner('/nowhere/scanner.wasm', (warning) => warnings.push(warning));
    assert.ok(createScanner() instanceof ReferenceScanner && createScanner() instanceof ReferenceScanner);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /scanner\.wasm/);
  });

  it('returns the plain scanner where the module cannot be compiled, for example without SIMD', () =>
    withTemporaryFolder((folder) => {
      const path = join(folder, 'scanner.wasm');
      const bytes = readFileSync(scannerModulePath());
      writeFileSync(path, bytes.subarray(0, bytes.length - 100));
      const warnings: string[] = [];
      assert.ok(loadScanner(path, (warning) => warnings.push(warning))() instanceof ReferenceScanner);
      assert.equal(warnings.length, 1);
      return Promise.resolve();
    }));
});
