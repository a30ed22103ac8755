# 出了什么问题，可以怎么办。
errors-redis-unreachable = 无法连接 Redis。
errors-redis-busy = Redis 正忙：正在加载数据，或正在执行耗时的脚本。
errors-redis-denied = Redis 拒绝了本服务器：用户、密码，或它需要的权限。
errors-redis-read-only = Redis 目前不接受更改。
errors-moved-started = 此任务已于 { $span }前由 { $worker } 开始执行，因此{ $so ->
    [uncancelled] 未被撤销
   *[nothing] 未作任何更改
}。
errors-moved-running = 此任务已在执行，因此{ $so ->
    [uncancelled] 未被撤销
   *[nothing] 未作任何更改
}。
errors-moved-done = 此任务已于 { $span }前完成，因此{ $so ->
    [uncancelled] 未被撤销
   *[nothing] 未作任何更改
}。
errors-moved-dead = 此任务已于 { $span }前成为死信，因此{ $so ->
    [uncancelled] 未被撤销
   *[nothing] 未作任何更改
}。
errors-moved-cancelled = 此任务已于 { $span }前被他人撤销，因此{ $so ->
    [uncancelled] 无需再撤销
   *[nothing] 未作任何更改
}。
errors-moved-elsewhere = 此任务现为“{ $state }”（版本 { $version }），因此{ $so ->
    [uncancelled] 未被撤销
   *[nothing] 未作任何更改
}。
errors-subject-full = 其业务对象的未结束任务已达上限 1,000 个。
errors-duplicate = 另一个未结束的任务 { $holder } 正占用它的唯一键。
errors-not-found = 没有这个任务，或已不再保留。
errors-no-run = 没有这个批量操作，或已不再保留。
errors-bulk-conflict = { $state ->
    [running] 此批量操作正在进行，因此未作其他更改
    [stopped] 此批量操作已自行停止，因此未作任何更改
    [aborted] 此批量操作已中止，无法再启动，也没有可以撤回的内容
    [done] 此批量操作已完成，无法再启动或中止，也没有可以撤回的内容
   *[early] 此批量操作尚未启动，因此未作任何更改
}。
errors-lapsed = 此地址在载荷中查找的内容只有生成它的系统才能读取。
errors-invalid = 无法执行：{ $why }。
errors-name-empty = 缺少名称
errors-name-long = 名称最多 { $count } 字节
errors-name-character = 名称中不能有“{ $found }”；允许的字符为 { $allowed }
errors-name-dots = 斜杠之间的部分不能为空、“.”或“..”，否则地址会指向别处
errors-not-a-time = 这不是时间；请写成 2026-08-12T09:00（UTC），或用 +900 表示 900 秒之后
errors-not-a-number = “{ $text }”不是整数，或者过大
errors-not-a-place = 这不是此列表中的位置；请从第一页开始
errors-span-long = 时长最多一千年
errors-due-far = 到期时间最多只能改动或分散一年
errors-payload-large = 载荷最多 { $size }
errors-too-large = 内容超出网页所能发送的大小，未作任何更改。
errors-payload-hidden = 载荷中含有在复制之处被隐藏的部分
errors-reason-long = 原因的长度为 1 到 1,024 字节
errors-storage-full = Redis 已满，无法存入新内容。
errors-forbidden = { $elsewhere ->
    [true] 您只在自己的队列中拥有权限 { $permission }，而此操作还涉及其他队列。
   *[other] 您没有权限 { $permission }。
}
errors-offline = 服务器没有响应。
errors-too-slow = 服务器处理时间过长，没有及时回应。
errors-outcome-unknown = 尚不清楚是否已执行：请求已发给 Redis，但没有收到答复。
errors-outdated = 此页面与服务器的版本不一致。
errors-internal = 服务器出错（{ $request_id }）。
errors-setting-changed = 在您查看时有人作了更改，因此未保存。
errors-next-setting-changed = 您填写的内容仍在这里。再次保存即可替换对方的设置。
errors-reason-too-short = 原因至少需要 { $count } 个字符，因此未作任何更改。
errors-approval-required = 此处的删除需要两个人，因此未删除任何内容。
errors-next-reason-too-short = 请在备注中说明，或改选一个原因。
errors-next-approval-required = 请在列表中勾选任务并请求删除；随后由另一个人启动。
said-bad-error-setting-changed = 在您查看时有人作了更改，因此未保存。下面是现在的设置。
errors-signed-out = 您未登录或登录已失效。
errors-next-signed-out = 请重新登录后再试。
errors-prove-first = 此操作要求先确认您的身份。
errors-next-prove-first = 请先确认是您本人，然后重新操作。
errors-too-many = 您的角色一次最多处理 { $jobs_max } 个任务。
errors-next-too-many = 请减少数量，或找运维人员。
errors-too-far = 您的角色一次最多将任务推迟 { $days_max } 天。
errors-next-too-far = 请选择更早的时间，或找运维人员。
errors-rate-limited = 您最近操作过于频繁。
errors-next-rate-limited = 请等 { $seconds } 秒后再试。
errors-next-conflict = 请查看任务的当前状态，再作决定。
errors-next-subject-full = 请先撤销其中一些，或等它们结束。未作任何更改。
errors-next-duplicate = 请先查看那个任务：两者不应同时存在。
errors-next-not-found = 它可能已在保留期结束后被移除。请检查编号。
errors-next-no-run = 它可能已在保留期结束后被移除。请在全部批量操作中查找。
errors-next-bulk-conflict = 请重新加载页面，查看它现在的状态。
errors-next-lapsed = 请重新输入筛选条件的这一部分。
errors-next-too-large = 这么大的载荷可以通过 HTTP 修改。
errors-next-invalid = 请更正后重试。
errors-next-unavailable = 未作任何更改；到期的任务会迟到。请检查 Redis 是否在运行。服务器每秒重试一次，本页会自行恢复。如超过一分钟仍未恢复，请查看服务器日志。
errors-other-redis-away = 另一个 Redis 没有响应。
errors-next-other-redis = Reprieve 自身的 Redis 正常，没有任何数据丢失：已接管的内容在这里，或在来源旁的接管记录中。请检查另一个 Redis 是否在运行且可以连接，然后重试；若其地址或登录信息已更改，请重新连接。
errors-next-storage-full = 任务仍可完成和撤销。请为 Redis 增加内存。
errors-next-forbidden = 请联系管理员。
errors-next-offline = 请检查服务器是否在运行，然后重试。任务不依赖本页，会继续执行。
errors-next-outcome-unknown = { $is_once ->
    [true] 请在这里重试：无论请求多少次，都只会执行一次。也可以稍后再查看本页。
   *[other] 请稍后再查看本页：如果没有执行，再重新操作。
}
errors-next-too-slow = 请重试；如果之前请求的是更改，请先确认是否已经执行。
errors-next-outdated = 请重新加载页面。
errors-next-internal = 请重试。如果仍然出错，请在服务器日志中查找该编号。
errors-since-ago = 自 { $instant } 起（{ $ago }）。
errors-request-id = 请求编号
errors-away = 目前无法答复
errors-away-again = 重试
errors-away-back = 返回页面
errors-away-undone = 您提交的内容没有执行。恢复之后请重新提交。
errors-away-unknown = 您提交的内容是否已执行，目前无从得知。重新提交之前，请先确认结果。
errors-away-outdated = 您提交的内容没有执行。请重新加载页面，然后再次提交。
errors-away-broken = 未能完成
errors-stopped-broken-off = 表单没有完整送达。
errors-stopped-no-form = 提交的内容不是表单格式。
errors-stopped-foreign = 此操作是由其他网站发起的，因此没有执行。
errors-stopped-host = 此控制台不响应主机名“{ $host }”。
errors-stopped-long = 网址超出网页允许的长度。
errors-stopped-method = 此地址不支持这种访问方式。
errors-stopped-next-again = 您提交的内容没有执行，请重新提交。
errors-stopped-next-foreign = 如果确实需要执行，请自行打开此处的页面并在其中提交。
errors-stopped-next-host = 请以 localhost 打开，让前面的代理转发浏览器的 Host，或在启动时加上 --allow-host。
errors-stopped-next-long = 请先打开不带这些参数的页面，再缩短筛选条件或减少列数。
errors-stopped-there = 您尚未登录。
errors-stopped-next-there = 请先登录此控制台所属的应用，然后重新打开此页面。
errors-stopped-next-method = 没有执行任何操作。请打开页面，从那里继续。
said-bad-error-conflict = 在您查看时任务已有变化，因此未作任何更改。下面是它现在的状态。
said-bad-error-duplicate = 另一个未结束的任务正占用它的唯一键，因此未作任何更改。
said-bad-error-not-found = 这个任务已不存在。
said-bad-error-bulk-conflict = 在您查看时批量操作已有变化，因此未作任何更改。下面是它现在的状态。
said-bad-error-lapsed = 筛选条件中有一部分只有生成它的系统才能读取。请重新输入这一部分。
said-bad-error-invalid = 无法识别您的输入，因此未作任何更改。
said-bad-error-unavailable = Redis 目前没有响应，因此未作任何更改。请稍后重试。
said-bad-error-other-redis = 另一个 Redis 目前没有响应。请检查它是否在运行且可以连接，然后重试。
said-bad-error-storage-full = Redis 已满，因此未作任何更改。撤销任务仍然可用。
said-bad-error-export-running = 另一个文件仍在发送给您。请等它结束，或停止它。
said-bad-error-forbidden = 您无权执行此操作，请联系管理员。
said-bad-error-internal = 服务器出错，详情见日志。
errors-in-full = { $sentence }{ $next }
errors-no-page = 没有这个页面
errors-no-page-next = 地址可能有误，或页面已移走。
errors-to-overview = 前往概览
