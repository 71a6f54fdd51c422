import { useEffect, useState } from 'preact/hooks';
import { wholeTexts } from '../text/wholeTexts';

export type Loaded =
  { readonly kind: 'waiting' } | { readonly kind: 'there'; readonly text: string } | { readonly kind: 'gone' };

/** A text that is asked for as soon as it is wanted, and kept for a while. @param key  names it, with its size */
export function useLoaded(key: string, isWanted: boolean, load: () => Promise<string | null>): Loaded | null {
  const [answer, setAnswer] = useState<{ readonly key: string; readonly text: string | null } | null>(null);
  const known = wholeTexts.get(key);
  const answered = answer?.key === key ? answer : null;
  const isSettled = known !== undefined || answered !== null;
  useEffect(() => {
    if (!isWanted || isSettled) return undefined;
    let isCurrent = true;
    const settle = (text: string | null): void => {
      if (text !== null) wholeTexts.set(key, text, text.length + key.length);
      if (isCurrent) setAnswer({ key, text });
    };
    load().then(settle, () => {
      settle(null);
    });
    return () => {
      isCurrent = false;
    };
    // `load` is another function at each rendering; what it loads is named by the key.
  }, [key, isWanted, isSettled]);
  if (known !== undefined) return { kind: 'there', text: known };
  if (answered !== null) return answered.text === null ? { kind: 'gone' } : { kind: 'there', text: answered.text };
  return isWanted ? { kind: 'waiting' } : null;
}
