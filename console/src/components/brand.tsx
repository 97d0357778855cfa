// The name and mark of the service.

export function Brand({ href, onClick }: { href: string; onClick?: (event: MouseEvent) => void }) {
  return (
    <a class="brand" href={href} onClick={onClick}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M3 10v4M7.5 6v12M12 3v18M16.5 7v10M21 10v4" />
      </svg>
      <span>Auris</span>
    </a>
  );
}
