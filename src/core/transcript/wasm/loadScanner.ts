import { readFileSync } from 'node:fs';
import { ReferenceScanner } from '../referenceScanner';
import type { ScannerFactory } from '../scanner';
import { LineBuffer } from './lineBuffer';
import { ScannerInstance } from './scannerInstance';
import { WasmScanner } from './wasmScanner';

/**
 * Returns the fast scanner. If WebAssembly or its SIMD is not available, returns the plain one, which produces the same facts
 * about thirty times slower, and calls `warn` once with the reason.
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

/** An instance that uses more memory than this is not reused, because WebAssembly never returns memory. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** Creates scanners that reuse instances. */
export function createWasmScannerFactory(module: WebAssembly.Module): ScannerFactory {
  const free: { readonly instance: ScannerInstance; readonly buffer: LineBuffer }[] = [];
  return (options = {}) => {
    const parts = free.pop() ?? createParts(module);
    return new WasmScanner(parts.instance, parts.buffer, options, () => {
      const { instance, buffer } = parts;
      if ((instance.exports.heapBytes() >>> 0) - buffer.unusedBytes > MAX_KEPT_BYTES) return false;
      free.push(parts);
      return true;
    });
  };
}

function createParts(module: WebAssembly.Module): { instance: ScannerInstance; buffer: LineBuffer } {
  const instance = new ScannerInstance(module);
  return { instance, buffer: new LineBuffer(instance) };
}
