// A message of the server in which `backticks` mark what is meant literally.

export function LiteralText({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
