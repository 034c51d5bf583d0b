/** How payouts are decided without a mouse. */
export function DecisionKeys() {
  return (
    <p className="mt-3 text-13 text-muted max-md:hidden">
      On a row: <kbd className="font-mono">A</kbd> approves, <kbd className="font-mono">R</kbd> rejects, <kbd className="font-mono">Enter</kbd> shows the
      request, the arrows go up and down.
    </p>
  )
}
