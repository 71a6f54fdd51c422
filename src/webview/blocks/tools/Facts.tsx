import type { JSX } from 'preact';
import { VisibleText } from '../parts/VisibleText';

const MAX_VALUE_CHARS = 4000;

/** Names and values, without those that are not known. */
export function Facts(props: {
  readonly facts: readonly (readonly [name: string, value: JSX.Element | string | number | null])[];
}): JSX.Element {
  return (
    <dl class="block-facts">
      {props.facts
        .filter(([, value]) => value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">
              {typeof value === 'object' ? value : <VisibleText text={String(value).slice(0, MAX_VALUE_CHARS)} />}
            </dd>
          </div>
        ))}
    </dl>
  );
}
