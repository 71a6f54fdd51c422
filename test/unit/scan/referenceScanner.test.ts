import { ReferenceScanner } from '../../../src/core/scan/referenceScanner';
import { describeScanner } from './describeScanner';

describeScanner('ReferenceScanner', (options) => new ReferenceScanner(options));
