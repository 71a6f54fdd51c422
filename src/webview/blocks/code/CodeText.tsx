import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useNearViewport } from '../parts/useNearViewport';
import { VisibleText } from '../parts/VisibleText';
import type { CodeToken } from './codeHighlighter';
import { highlightCode, highlightedBefore, MAX_HIGHLIGHTED_CHARS } from './highlightCode';
import { loadedHighlighter } from './loadedHighlighter';

/** Code that gets its colours when it comes near what is seen; its text stands from the beginning. */
export function CodeText({ text, language }: { text: string; language: string | null }): JSX.Element {
  const ref = useRef<HTMLElement>(null);
  const highlighter = loadedHighlighter.value;
  const isKnown = language !== null && text.length <= MAX_HIGHLIGHTED_CHARS && highlighter?.knows(language) === true;
  const known = isKnown ? language : null;
  const before = known === null ? null : highlightedBefore(text, known);
  const isNear = useNearViewport(ref, known !== null && before === null);
  const [done, setDone] = useState<{ readonly of: string; readonly tokens: readonly CodeToken[] | null } | null>(null);
  useEffect(() => {
    if (isNear && highlighter !== null && known !== null && before === null && done?.of !== text) {
      setDone({ of: text, tokens: highlightCode(highlighter, text, known) });
    }
  }, [isNear, highlighter, known, before, done, text]);
  const tokens = before ?? (done?.of === text ? done.tokens : null);
  return (
    <code ref={ref} class="block-code-text">
      {tokens === null ? (
        <VisibleText text={text} />
      ) : (
        tokens.map((token, at) =>
          token.className === '' ? (
            <VisibleText key={at} text={token.text} />
          ) : (
            <span key={at} class={token.className}>
              <VisibleText text={token.text} />
            </span>
          ),
        )
      )}
    </code>
  );
}
