import type { EpochMs } from '../probe/probeApi';

/** When the content of the document was painted: the second frame from here on follows one that shows it. */
export function afterPaint(): Promise<EpochMs> {
  return new Promise((done) => {
    requestAnimationFrame(() => {
      requestAnimationFrame(() => {
        done(Date.now());
      });
    });
  });
}
