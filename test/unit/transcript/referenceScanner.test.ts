import { describeScanner } from './describeScanner';
import { plainScanner } from '../../support/plainScanner';

describeScanner('ReferenceScanner', plainScanner);
