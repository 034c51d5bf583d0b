/** Explains the keyboard shortcuts. */
export function DecisionKeys() {
  return (
    <p className="mt-3 text-13 text-muted max-md:hidden">
      On a row: <kbd className="font-mono">A</kbd> approves, <kbd className="font-mono">R</kbd> rejects, <kbd className="font-mono">Enter</kbd> opens the
      request, arrow keys move between rows.
    </p>
  )
}
