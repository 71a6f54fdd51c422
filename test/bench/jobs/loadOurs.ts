import { join } from 'node:path';
import type { ScannerFactory } from '../../../src/core/transcript/scanner';
import { loadScanner } from '../../../src/core/transcript/wasm/loadScanner';

let loaded: ScannerFactory | null = null;

/**
 * The scanner of the worker and the command line, one per thread as there. It must not fall back, which would measure
 * something else.
 */
export function loadOurs(): ScannerFactory {
  loaded ??= loadScanner(join(__dirname, 'scanner.wasm'), (warning) => {
    throw new Error(warning);
  });
  return loaded;
}
