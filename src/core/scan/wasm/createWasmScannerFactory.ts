import type { ScannerFactory } from '../scanner';
import { LineBuffer } from './lineBuffer';
import { ScannerInstance } from './scannerInstance';
import { WasmScanner } from './wasmScanner';

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
