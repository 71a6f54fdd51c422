import { ReferenceScanner } from '../../rooms/transcript';
import { describeScanner } from './describeScanner';

describeScanner('ReferenceScanner', (options) => new ReferenceScanner(options));
