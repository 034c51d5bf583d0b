import { SupportContact } from '@/features/frame/support-contact.tsx'
import { PanelButton, SignedOutFrame } from './outside-frame.tsx'
import { type Ban, shownBan } from '@/features/frame/session-queries.ts'

/** Says why someone is banned, and whom to ask. */
export function BannedPage({ ban: { reason } }: { readonly ban: Ban }) {
  return (
    <SignedOutFrame
      title="Account Banned"
      line="You cannot sign in while the ban lasts."
      below={<PanelButton onClick={() => shownBan.set(undefined)}>Back to Login</PanelButton>}
    >
      {reason === null ? (
        <p>Your account has been banned. Please contact support for assistance.</p>
      ) : (
        <>
          <h2 className="text-13 font-medium text-muted">Reason</h2>
          <p className="mt-1 break-words whitespace-pre-line">{reason}</p>
        </>
      )}
      <p className="mt-4 border-t border-line pt-4 text-13 text-muted">
        {reason !== null && 'If you think that this is a mistake, ask support to look at it again. '}
        <SupportContact>Your history and your payouts are kept.</SupportContact>
      </p>
    </SignedOutFrame>
  )
}
