import { ReferenceScanner } from '../../../src/core/transcript/referenceScanner';
import { describeScanner } from './describeScanner';

describeScanner('ReferenceScanner', (options) => new ReferenceScanner(options));
