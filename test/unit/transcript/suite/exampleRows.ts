export const BOM = '\uFEFF';

/** Three rows, each the child of the one before, named after their uuids. */
export const A = '{"parentUuid":null,"type":"user","uuid":"a","sessionId":"s","message":{"content":"one"}}';
export const B =
  '{"parentUuid":"a","type":"assistant","uuid":"b","sessionId":"s","message":{"id":"m","content":[{"type":"text","text":"two"}]}}';
export const C = '{"parentUuid":"b","type":"user","uuid":"c","sessionId":"s","message":{"content":"three"}}';
