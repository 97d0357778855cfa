// The prices of a model, one per line.
import type { ModelCapability } from '../../api/types';
import { priceTexts } from './describe';

export function Prices({ capabilities }: { capabilities: ModelCapability[] }) {
  const texts = priceTexts(capabilities);
  if (texts.length === 0) return <>Free</>;
  return (
    <>
      {texts.map((text) => (
        <div key={text}>{text}</div>
      ))}
    </>
  );
}
