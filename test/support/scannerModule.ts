import { readFileSync } from 'node:fs';
import { scannerModulePath } from '../../scripts/scannerModule.mjs';
import { createWasmScannerFactory } from '../../src/core/scan/wasm/createWasmScannerFactory';
import type { ScannerFactory } from '../../src/core/scan/scanner';

/** The fast scanner as it ships, compiled from the sources of this checkout. */
export function wasmScanners(): ScannerFactory {
  return createWasmScannerFactory(new WebAssembly.Module(readFileSync(scannerModulePath())));
}
