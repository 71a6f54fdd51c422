import { readFileSync } from 'node:fs';
import { ReferenceScanner } from '../referenceScanner';
import type { ScannerFactory } from '../scanner';
import { ScannerInstance } from './scannerInstance';
import { LineBuffer, WasmScanner } from './wasmScanner';

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

/** An instance whose memory has grown past this is not used again: WebAssembly gives no memory back. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** Scanners over instances that are used again. */
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
