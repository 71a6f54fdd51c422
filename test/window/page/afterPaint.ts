import type { EpochMs } from '../probe/probeApi';

/** When what is in the document was painted: the second frame that begins from here on was preceded by one that shows it. */
export function afterPaint(): Promise<EpochMs> {
  return new Promise((done) => {
    requestAnimationFrame(() => {
      requestAnimationFrame(() => {
        done(Date.now());
      });
    });
  });
}
