import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { codeLabels, ownCodes } from '#services/payments/batches/coin-code-vocabulary.ts'
import { useMay } from '@/features/frame/access.tsx'
import { lazyPart } from '@/lazy-page.ts'
import { Button } from '@/ui/button.tsx'
import { SettingRow } from '@/ui/card.tsx'
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
    <SettingRow
      title="Codes of coins"
      action={
        <Button look="secondary" onClick={() => setIsChanging(true)}>
          Change Codes
        </Button>
      }
    >
      {others.length > 0 ? (
        others.map(([name, code]) => `${codeLabels[name] ?? name}: ${code}`).join(' · ')
      ) : data ? (
        'As the portal names them: USDC, ERC20. Set others where the provider of your wallets has its own.'
      ) : isError ? (
        <FailedFigures onRetry={refetch}>The codes could not be loaded.</FailedFigures>
      ) : (
        <LoadingLines lines={1} />
      )}
      {isChanging && <CoinCodesDialog onClose={() => setIsChanging(false)} />}
    </SettingRow>
  )
}
