import { join } from 'node:path';
import type { ScannerFactory } from '../../../src/core/scan/scanner';
import { loadScanner } from '../../../src/core/scan/wasm/loadScanner';

/** The scanner that the worker and the command line use. One that falls back would measure something else. */
export function loadOurs(): ScannerFactory {
  return loadScanner(join(__dirname, 'scanner.wasm'), (warning) => {
    throw new Error(warning);
  });
}
