package runtime

import (
	"fmt"
	"strings"
)

// corpusDomains are servers as people have them, and ten things each deals
// with.
func corpusDomains() [][2]string {
	return [][2]string{
		{"github", "pull request,issue,branch,commit,release,workflow run,gist,repository,code review,milestone"},
		{"gitlab", "merge request,pipeline,project,snippet,epic,runner,wiki page,deploy key,protected branch,job artifact"},
		{"jira", "ticket,sprint,board,worklog,component,backlog item,issue link,story point,fix version,issue transition"},
		{"confluence", "page,space,blog post,page comment,label,page template,attachment,page restriction,inline task,page history"},
		{"slack", "channel,message,thread,reaction,reminder,user group,pinned item,emoji,status,bookmark"},
		{"notion", "database,block,workspace,page property,synced block,comment discussion,view,relation,formula,teamspace"},
		{"linear", "cycle,initiative,roadmap,triage item,issue estimate,customer request,project update,issue label,team,favorite"},
		{"postgres", "table,row,index,schema,materialized view,stored procedure,role,query plan,extension,replication slot"},
		{"redis", "key,hash field,stream entry,sorted set,list element,expiry,pubsub subscriber,lua script,cluster node,bitmap"},
		{"mongodb", "collection,document,aggregation pipeline,change stream,shard,capped collection,text index,replica set,validator,cursor"},
		{"filesystem", "file,directory,symlink,file permission,disk usage,checksum,file watcher,temporary file,archive,mount"},
		{"kubernetes", "pod,deployment,service,ingress,config map,secret,namespace,node,cron job,persistent volume"},
		{"docker", "container,image,volume,network,compose stack,registry login,build cache,container log,healthcheck,swarm"},
		{"aws", "lambda function,s3 bucket,ec2 instance,iam policy,cloudwatch alarm,sqs queue,dynamodb table,route53 record,cloudformation stack,security group"},
		{"gcloud", "compute instance,bigquery dataset,pubsub topic,cloud run revision,firestore document,service account,load balancer,dataflow job,vertex endpoint,billing budget"},
		{"terraform", "state file,plan,module,provider,variable set,workspace run,drift report,policy check,output value,resource import"},
		{"stripe", "payment intent,invoice,subscription,customer,refund,coupon,payout,dispute,price,tax rate"},
		{"shopify", "product,order,inventory level,discount code,fulfillment,abandoned checkout,gift card,storefront theme,shipping zone,product variant"},
		{"salesforce", "lead,opportunity,account,contact,campaign,case,quote,territory,forecast,report dashboard"},
		{"hubspot", "deal,marketing email,form submission,landing page,contact list,ticket pipeline,sales sequence,meeting link,call recording,company"},
		{"zendesk", "support ticket,macro,satisfaction rating,help article,agent,trigger,automation,organization,ticket field,queue view"},
		{"gmail", "email,draft,mail label,mail filter,mail thread,signature,vacation responder,mail attachment,spam rule,mail alias"},
		{"calendar", "event,attendee,availability slot,meeting room,recurring event,event reminder,calendar sharing,working hours,time zone,invitation"},
		{"drive", "shared drive,folder,file revision,sharing permission,shortcut,file comment,export format,trash,storage quota,starred file"},
		{"sheets", "spreadsheet,cell range,chart,pivot table,named range,conditional format,sheet tab,data validation,protected range,sheet formula"},
		{"figma", "design frame,component library,design comment,prototype,color style,design version,vector node,design token,plugin,team project"},
		{"sentry", "error event,alert rule,crash report,performance trace,source map,session replay,error release,error owner,issue grouping,ingest quota"},
		{"datadog", "metric,monitor,log query,dashboard widget,synthetic test,service map,downtime,slo,incident,trace span"},
		{"grafana", "panel,data source,alert contact,annotation,dashboard folder,playlist,library panel,silence,api token,explore query"},
		{"pagerduty", "on-call schedule,escalation policy,incident responder,maintenance window,service dependency,paging rule,postmortem,override shift,status update,alert grouping"},
		{"spotify", "playlist track,album,artist,podcast episode,playback device,saved song,listening history,audio feature,music genre,player queue"},
		{"youtube", "video,video caption,subscriber count,video comment,live stream,watch later list,thumbnail,video playlist,video chapter,channel analytics"},
		{"maps", "route,place,geocode,street view,traffic condition,elevation,distance matrix,nearby restaurant,transit stop,time of arrival"},
		{"weather", "forecast hour,storm warning,air quality,rain radar,uv level,pollen count,tide table,sunrise,climate average,wind speed"},
		{"browser", "tab,screenshot,cookie,form input,page element,download,console message,network request,browser profile,pdf print"},
		{"memory", "entity,observation,knowledge relation,graph node,memory note,fact,memory tag,recollection,summary,embedding"},
		{"puzzle-tracker", "crossword,sudoku,chess game,word list,hint,leaderboard,daily challenge,streak,puzzle rating,solver"},
		{"bank", "bank account,transaction,standing order,exchange rate,loan,credit card,savings goal,direct debit,statement,beneficiary"},
		{"homeassistant", "light,thermostat,door lock,motion sensor,scene,garage door,vacuum,energy meter,smoke detector,camera"},
		{"travel", "flight,hotel booking,boarding pass,visa requirement,car rental,itinerary,luggage allowance,lounge,seat map,travel insurance"},
	}
}

// corpusVerbs are ten things to do with a thing, each in two wordings.
func corpusVerbs() [][2]string {
	return [][2]string{
		{"create", "Creates a new %s with the given values and returns it."},
		{"list", "Lists every %s that the caller may see, a page at a time."},
		{"get", "Returns one %s by its identifier, with all details."},
		{"update", "Changes fields of an existing %s; fields left out keep their values."},
		{"delete", "Removes a %s for good. This cannot be undone."},
		{"search", "Finds each %s that matches words or filters."},
		{"export", "Writes a %s to a CSV or JSON file for use elsewhere."},
		{"duplicate", "Makes a copy of a %s under another name."},
		{"share", "Gives other people access to a %s, by link or by invitation."},
		{"subscribe", "Notifies the caller whenever a %s changes."},
	}
}

// corpus is 40 servers with 100 tools each, named in the styles of the field.
func corpus() []toolSource {
	var sources []toolSource
	for i, domain := range corpusDomains() {
		s := toolSource{server: domain[0]}
		for thing := range strings.SplitSeq(domain[1], ",") {
			for _, verb := range corpusVerbs() {
				words := append([]string{verb[0]}, strings.FieldsFunc(thing, func(c rune) bool { return c == ' ' || c == '-' })...)
				d := toolDef{description: fmt.Sprintf(verb[1], thing)}
				switch i % 4 {
				case 0:
					d.name = strings.Join(words, "_")
				case 1:
					d.name = strings.Join(words, "-")
				case 2:
					for j, w := range words {
						if j > 0 {
							w = strings.ToUpper(w[:1]) + w[1:]
						}
						d.name += w
					}
				case 3:
					d.name = domain[0] + "." + strings.Join(append(words[1:], words[0]), "_")
				}
				d.raw = fmt.Appendf(nil, `{"name":%q}`, d.name)
				s.defs = append(s.defs, d)
			}
		}
		sources = append(sources, s)
	}
	return sources
}
