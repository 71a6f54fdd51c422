import type { EpochMs } from '../probe/probeApi';
import { afterPaint } from './afterPaint';

export function paintedWith(text: string): Promise<EpochMs> {
  return new Promise((done) => {
    const observer = new MutationObserver(() => {
      const row = [...document.querySelectorAll('.item')].find((each) => each.textContent.includes(text));
      const view = document.querySelector('.scroller')?.getBoundingClientRect();
      const top = row?.getBoundingClientRect().top;
      if (view === undefined || top === undefined || top > view.bottom || top < view.top) return;
      observer.disconnect();
      void afterPaint().then(done);
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}
