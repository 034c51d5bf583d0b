import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from './button.tsx'

interface CopyButtonProps {
  readonly text: string
  /** The accessible name: 'Copy the login'. */
  readonly label: string
}

/** How long the confirmation is shown, in ms. */
const CONFIRMATION_MS = 1_500

/** Copies a text and briefly confirms it. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [message, setMessage] = useState<string>()
  const say = (word: string) => {
    setMessage(word)
    setTimeout(() => setMessage(undefined), CONFIRMATION_MS)
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      say('Copied')
    } catch {
      // Without HTTPS or permission the browser offers no clipboard.
      say('Could not copy')
    }
  }
  return (
    <IconButton label={message ?? label} className="size-7! text-muted" onClick={() => void copy()}>
      {message === 'Copied' ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
    </IconButton>
  )
}
