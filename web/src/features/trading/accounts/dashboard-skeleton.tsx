import { ButtonLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { Loading, Skeleton } from '@/ui/states.tsx'

/** The dashboard's shape while the account loads. */
export function DashboardSkeleton({ title }: { readonly title: string }) {
  return (
    <>
      <PageHeader title={title} action={<ButtonLink to="/account-sizes">Buy Challenge</ButtonLink>}>
        <Skeleton className="h-6 w-56" />
      </PageHeader>
      <Loading label="Loading your account">
        <div className="mb-6 flex h-[41px] items-center gap-6 border-b border-line px-3">
          {['w-16', 'w-24', 'w-28'].map((width) => (
            <Skeleton key={width} className={`h-4 ${width}`} />
          ))}
        </div>
        <div className="flex flex-col gap-4">
          <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-[5fr_5fr_5fr_4fr]">
            <CardShape className="h-[196px] xl:h-[224px]" />
            <CardShape className="h-[196px] xl:h-[224px]" />
            <CardShape className="h-[196px] sm:max-xl:col-span-2 xl:h-[224px]" />
            <div className="contents xl:flex xl:flex-col xl:gap-4">
              <CardShape className="h-[114px] xl:h-[104px]" />
              <CardShape className="h-[114px] xl:h-[104px]" />
            </div>
          </div>
          <CardShape className="h-[380px]" />
        </div>
      </Loading>
    </>
  )
}

function CardShape({ className }: { readonly className: string }) {
  return (
    <div className={`rounded-lg border border-line bg-card p-5 ${className}`}>
      <Skeleton className="h-4 w-32" />
      <Skeleton className="mt-3 h-7 w-40" />
    </div>
  )
}
