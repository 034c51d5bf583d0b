import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from './button.tsx'

interface CopyButtonProps {
  readonly text: string
  /** What it does, in words: 'Copy the login'. */
  readonly label: string
}

/** How long it says that it worked, in ms. */
const CONFIRMATION_MS = 1_500

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [said, setSaid] = useState<string>()
  const say = (word: string) => {
    setSaid(word)
    setTimeout(() => setSaid(undefined), CONFIRMATION_MS)
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      say('Copied')
    } catch {
      // Without HTTPS, or without leave, the browser offers no clipboard.
      say('Could not copy')
    }
  }
  return (
    <IconButton label={said ?? label} className="size-7! text-muted" onClick={() => void copy()}>
      {said === 'Copied' ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
    </IconButton>
  )
}
