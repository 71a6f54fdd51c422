import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { BlockHost } from '../blockHost';
import { Icon } from '../parts/Disclosure';
import { useNearViewport } from '../parts/ImageView';
import { VisibleText } from '../parts/VisibleText';
import type { CodeToken } from './codeHighlighter';
import { highlightCode, highlightedBefore, loadedHighlighter, MAX_HIGHLIGHTED_CHARS } from './highlightCode';

/** Code within a text, with the language that it declares. */
export function CodeBlock(props: {
  readonly host: BlockHost;
  readonly code: string;
  readonly language: string;
}): JSX.Element {
  const { host, code, language } = props;
  return (
    <div class="block-code">
      <div data-unsearched class="block-code-head">
        <span class="block-code-language">{language}</span>
        <CopyButton host={host} text={code} />
      </div>
      <pre dir="ltr">
        <CodeText text={code} language={language === '' ? null : language.toLowerCase()} />
      </pre>
    </div>
  );
}

const SAID_MS = 1500;

function CopyButton({ host, text }: { host: BlockHost; text: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => {
      setCopied(false);
    }, SAID_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [isCopied]);
  const copy = (): void => {
    host.act({ kind: 'copy', text });
    setCopied(true);
  };
  return (
    <button type="button" class="block-quiet-button" onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span aria-live="polite">{isCopied ? host.t('Copied') : host.t('Copy')}</span>
    </button>
  );
}

/** Code whose text is shown immediately, and which is coloured when it comes near the viewport. */
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
      {tokens === null ? <VisibleText text={text} /> : <CodeTokens tokens={tokens} />}
    </code>
  );
}

export function CodeTokens({ tokens }: { tokens: readonly CodeToken[] }): JSX.Element {
  return (
    <>
      {tokens.map((token, at) =>
        token.className === '' ? (
          <VisibleText key={at} text={token.text} />
        ) : (
          <span key={at} class={token.className}>
            <VisibleText text={token.text} />
          </span>
        ),
      )}
    </>
  );
}
