import { ReferenceScanner } from '../../src/core/transcript/referenceScanner';
import type { ScannerFactory } from '../../src/core/transcript/scanner';

/** The scanner that every other must agree with. It has all options: facts that are asked for a second time depend on them. */
export const plainScanner: ScannerFactory = (options) => new ReferenceScanner(options);
