import { useState } from 'react'
import { useMay } from '@/features/frame/access.tsx'
import { lazyPart } from '@/lazy-page.ts'
import { Button } from '@/ui/button.tsx'

const TestMailDialog = lazyPart(() => import('./test-mail-dialog.tsx').then(({ TestMailDialog }) => TestMailDialog))

/** Sends a mail at once, for those who set the portal up. */
export function TestMailButton() {
  const [isOpen, setIsOpen] = useState(false)
  if (!useMay('set-up-firm')) return null
  return (
    <>
      <Button look="secondary" className="mt-3" onClick={() => setIsOpen(true)}>
        Send me a test
      </Button>
      {isOpen && <TestMailDialog onClose={() => setIsOpen(false)} />}
    </>
  )
}
