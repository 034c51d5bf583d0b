import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { codeLabels, ownCodes } from '#services/payments/batches/coin-code-vocabulary.ts'
import { useMay } from '@/features/frame/access.tsx'
import { lazyPart } from '@/lazy-page.ts'
import { Button } from '@/ui/button.tsx'
import { Card, DescriptionList } from '@/ui/card.tsx'
import { FailedFigures, LoadingLines } from '@/ui/states.tsx'
import { coinCodesQuery } from './batch-queries.ts'

const CoinCodesDialog = lazyPart(() => import('./coin-codes-dialog.tsx').then(({ CoinCodesDialog }) => CoinCodesDialog))

/** The provider's names for coins and networks, for those who may change them. */
export function CoinCodesCard() {
  const mayManage = useMay('manage-payments')
  const { data, isError, refetch } = useQuery({ ...coinCodesQuery, enabled: mayManage })
  const [isChanging, setIsChanging] = useState(false)
  if (!mayManage) return null
  const others = Object.entries(data?.codes ?? {}).filter(([name, code]) => code !== ownCodes[name])
  return (
    <Card
      title="Codes of coins"
      action={
        <Button look="secondary" onClick={() => setIsChanging(true)}>
          Change Codes
        </Button>
      }
    >
      {others.length > 0 ? (
        <DescriptionList items={others.map(([name, code]) => ({ name: codeLabels[name] ?? name, value: code }))} />
      ) : data ? (
        <p className="text-muted">
          A file for wallets names coins and networks as the portal does: USDC, ERC20. Set other codes where your
          provider has its own.
        </p>
      ) : isError ? (
        <FailedFigures onRetry={refetch}>The codes could not be loaded.</FailedFigures>
      ) : (
        <LoadingLines lines={2} />
      )}
      {isChanging && <CoinCodesDialog onClose={() => setIsChanging(false)} />}
    </Card>
  )
}
