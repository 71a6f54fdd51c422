import type { JSX } from 'preact';
import type { BlockHost } from '../blockHost';
import { CopyButton } from '../parts/CopyButton';
import { CodeText } from './CodeText';

/** Code within a text, with the language that it says it is in. */
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
