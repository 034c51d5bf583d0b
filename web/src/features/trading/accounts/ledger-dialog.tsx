import { useQuery } from '@tanstack/react-query'
import { ledgerRoutes } from '#services/trading/accounts/ledger-api.ts'
import { addressOf } from '@/api/api.ts'
import { useMay } from '@/features/frame/access.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { DownloadLink } from '@/ui/link.tsx'
import { ledgerOfAccount, LedgerTable } from './ledger-table.tsx'

interface LedgerDialogProps {
  readonly account: string
  /** Its name for people. */
  readonly name: string
  readonly onClose: () => void
}

/** The ledger of any account, for staff. */
export function LedgerDialog({ account, name, onClose }: LedgerDialogProps) {
  const ledger = useQuery(ledgerOfAccount(account))
  const mayExport = useMay('export')
  const file = addressOf(ledgerRoutes.ledgerExport, { params: { id: account } })
  return (
    <Dialog
      title={`Ledger of ${name}`}
      description="Every entry is an event. All together are the balance."
      width="large"
      onClose={onClose}
      footer={mayExport && <DownloadLink href={file}>Download CSV</DownloadLink>}
    >
      <LedgerTable ledger={ledger} />
    </Dialog>
  )
}
