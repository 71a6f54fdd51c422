import { readFileSync } from 'node:fs';
import { ReferenceScanner } from '../referenceScanner';
import type { ScannerFactory } from '../scanner';
import { createWasmScannerFactory } from './createWasmScannerFactory';

/**
 * The fast scanner. Where WebAssembly, or its SIMD, is not to be had, the plain one: the same facts, some thirty times
 * slower, and `warn` is told once why.
 */
export function loadScanner(modulePath: string, warn: (message: string) => void): ScannerFactory {
  try {
    const createScanner = createWasmScannerFactory(new WebAssembly.Module(readFileSync(modulePath)));
    createScanner().end();
    return createScanner;
  } catch (error) {
    warn(
      `Failed to load the fast scanner, so scans take longer: ${error instanceof Error ? error.message : String(error)}`,
    );
    return (options) => new ReferenceScanner(options);
  }
}
