// What tests use of core's room "transcript". A file that moves within src changes its path here alone.
export { BoundaryForm } from '../../src/core/transcript/byteBoundary';
export { ByteFlag, ByteRows, LARGE_FILE_BYTES, PromptForm } from '../../src/core/transcript/byteRows';
export { dissectLine } from '../../src/core/transcript/dissectLine';
export { IdTable, NO_ID } from '../../src/core/transcript/idTable';
export { valueRange } from '../../src/core/transcript/jsonMembers';
export { BROKEN, JsonText, OPEN } from '../../src/core/transcript/jsonText';
export { type LineSink, LineSplitter, type LongLine, MAX_HELD_BYTES } from '../../src/core/transcript/lineSplitter';
export { needsMessageHashes } from '../../src/core/transcript/repeatedRows';
export { type OutlinedRow, RowOutline } from '../../src/core/transcript/rowOutline';
export {
  type LiveTranscript,
  type OpenTranscript,
  readOnceTranscript,
  type TranscriptChange,
} from '../../src/core/transcript/liveTranscript';
export { type LiveSubscription, LiveTranscripts } from '../../src/core/transcript/liveTranscripts';
export { KeyTable, ReferenceScanner } from '../../src/core/transcript/referenceScanner';
export { ParentForm, RowFlag, RowKind } from '../../src/core/transcript/rowFlags';
export {
  createFileScanner,
  createOnePassScanner,
  type OnePassScanner,
  scanFile,
  scanFileOnce,
} from '../../src/core/transcript/scanFile';
export type { ScannerFactory, ScannerOptions, TranscriptScanner } from '../../src/core/transcript/scanner';
export type { LineFaultKind, Preserved, TranscriptIndex } from '../../src/core/transcript/transcriptIndex';
export { nodeTranscriptFiles, type TranscriptFiles, TranscriptTail } from '../../src/core/transcript/transcriptTail';
export type { UsageTable } from '../../src/core/transcript/usageTable';
export { loadScanner } from '../../src/core/transcript/wasm/loadScanner';
export { ScannerInstance } from '../../src/core/transcript/wasm/scannerInstance';
export { WasmScanner } from '../../src/core/transcript/wasm/wasmScanner';
