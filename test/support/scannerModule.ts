import { readFileSync } from 'node:fs';
import { scannerModulePath } from '../../scripts/scannerModule.mjs';
import type { ScannerFactory } from '../../src/core/transcript/scanner';
import { createWasmScannerFactory } from '../../src/core/transcript/wasm/loadScanner';

/** The fast scanner as it ships, compiled from the sources of this checkout. */
export function wasmScanners(): ScannerFactory {
  return createWasmScannerFactory(new WebAssembly.Module(readFileSync(scannerModulePath())));
}
