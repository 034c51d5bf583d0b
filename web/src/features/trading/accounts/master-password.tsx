import { useMutation } from '@tanstack/react-query'
import { Button } from '@/ui/button.tsx'
import { CopyButton } from '@/ui/copy-button.tsx'
import { useMay } from '@/features/frame/access.tsx'
import { showMasterPassword } from './staff-account-queries.ts'
import type { UserName } from '@/features/frame/staff-change.ts'

interface MasterPasswordProps {
  readonly of: UserName
  readonly account: string
  /** The dots that the server sent. */
  readonly masked: string
}

/** A master password, masked until a member of staff shows it: the server records that. Kept only while it is shown. */
export function MasterPassword({ of, account, masked }: MasterPasswordProps) {
  const mayShow = useMay('show-passwords')
  const show = useMutation(showMasterPassword)
  const shown = show.data?.masterPassword
  return (
    <span className="flex flex-col gap-1">
      <span className="inline-flex flex-wrap items-center gap-2">
        <span className="font-mono text-13 [overflow-wrap:anywhere]">{shown ?? masked}</span>
        {shown !== undefined && <CopyButton text={shown} label="Copy the master password" />}
        {mayShow && (
          <Button
            look="quiet"
            className="h-8! px-2! text-13!"
            busy={show.isPending}
            aria-label={shown === undefined ? 'Show the master password' : 'Hide the master password'}
            onClick={() => (shown === undefined ? show.mutate({ ...of, account }) : show.reset())}
          >
            {shown === undefined ? 'Show' : 'Hide'}
          </Button>
        )}
      </span>
      <span className="text-12 text-muted">
        {mayShow ? 'Showing it is recorded, and the trader sees it.' : 'Your role does not allow to show it.'}
      </span>
    </span>
  )
}
