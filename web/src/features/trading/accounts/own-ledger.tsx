import { useQuery } from '@tanstack/react-query'
import { ledgerRoutes } from '#services/trading/ledger/ledger-api.ts'
import { addressOf } from '@/api/api.ts'
import { Card } from '@/ui/card.tsx'
import { DownloadLink } from '@/ui/link.tsx'
import { ownLedgerQuery } from './ledger-queries.ts'
import { LedgerTable } from './ledger-table.tsx'

/** The ledger of one of the trader's own accounts. */
export function OwnLedger({ account }: { readonly account: string }) {
  const ledger = useQuery(ownLedgerQuery(account))
  const file = addressOf(ledgerRoutes.ownLedgerExport, { query: { account } })
  return (
    <Card title="Ledger" action={<DownloadLink href={file}>Download CSV</DownloadLink>}>
      <LedgerTable ledger={ledger} />
    </Card>
  )
}
