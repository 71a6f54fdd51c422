import { wasmScanners } from '../../support/scannerModule';
import { describeScanner } from './describeScanner';

describeScanner('WasmScanner', wasmScanners());
